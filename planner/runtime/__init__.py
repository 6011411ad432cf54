"""What a running process needs: child processes, concurrent work, the machine's size and the clock of stages."""
