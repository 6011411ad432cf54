"""Tables, charts and files made from plan documents."""
