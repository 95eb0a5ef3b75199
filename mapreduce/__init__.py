"""The scale-in runtime: jobs split, placed and run on the memory's cores."""
