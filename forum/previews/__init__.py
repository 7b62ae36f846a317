"""Link previews: the images and structured data that chat apps and search engines read."""
