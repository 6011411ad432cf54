"""What earlier nights left: figures, outcomes, sightings, and how nights differ."""
