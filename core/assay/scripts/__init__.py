"""Scripts of users: finding a function, and running it in a worker process."""
