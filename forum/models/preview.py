"""Images of posts for link previews."""

from django.db import models

from forum.models.post import Post


class PreviewImage(models.Model):
    """The newest preview image of a post. It is stored in SQL, so that all web servers have it."""

    post = models.OneToOneField(
        Post, on_delete=models.CASCADE, primary_key=True, related_name="preview_image"
    )
    digest = models.CharField(max_length=16)
    """The name of the image's content, from `PreviewCard.digest`."""
    post_version = models.PositiveIntegerField()
    """The post's version when the image was last compared with the post."""
    png = models.BinaryField()
    """The content of the PNG file, 10 to 25 kB."""
    drawn_at = models.DateTimeField(db_index=True)
