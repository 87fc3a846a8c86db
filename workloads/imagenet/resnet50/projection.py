"""Images as the Horovod recipe for ResNet-50 shows them: shifted, zoomed and mirrored at random.

Training images are resized to a square without keeping their aspect (nearest pixel), then shifted,
zoomed and mirrored as Keras' image generator does it, in one bilinear projection whose border
repeats the nearest pixel; validation images are always zoomed to their central 87.5 %. Colours
become BGR with their means subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SHIFT = 0.33  # of the side, each way
ZOOM = (0.5, 1.5)  # below 1 the image grows
VALIDATION_ZOOM = 0.875
MEANS = (103.939, 116.779, 123.68)  # blue, green, red


@dataclass(frozen=True, slots=True)
class Projection:
    """The recipe's view of the images; see `workloads.imagenet.pipeline.View`.

    Parameters
    ----------
    size
        Height and width in pixels.
    """

    size: int

    def training_image(self, encoded: Any, seed: Any) -> Any:  # noqa: ARG002
        """Return an image resized to the square."""
        return square(encoded, self.size)

    def training_batch(self, images: Any, seed: Any) -> Any:
        """Return images under random projections."""
        import tensorflow as tf

        return project(images, random_transforms(tf.shape(images)[0], self.size, seed))

    def validation_image(self, encoded: Any) -> Any:
        """Return an image resized to the square."""
        return square(encoded, self.size)

    def validation_batch(self, images: Any) -> Any:
        """Return the central part of the images."""
        import tensorflow as tf

        one = transforms(self.size, zoom=tf.fill((1, 2), VALIDATION_ZOOM), shift=tf.zeros((1, 2)))
        return project(images, tf.tile(one, (tf.shape(images)[0], 1)))


def square(encoded: Any, size: int) -> Any:
    """Return an encoded image as bytes, size × size × 3, resized to the nearest pixel."""
    import tensorflow as tf

    image = tf.io.decode_image(encoded, channels=3, expand_animations=False)
    image.set_shape((None, None, 3))
    return tf.image.resize(image, (size, size), method="nearest")


def random_transforms(count: Any, size: int, seed: Any) -> Any:
    """Return one random projection per image; the seed, two integers, decides all of them."""
    import tensorflow as tf

    seeds = tf.unstack(tf.random.split(seed, 3))
    shift = tf.random.stateless_uniform((count, 2), seeds[0], -SHIFT, SHIFT) * size
    zoom = tf.random.stateless_uniform((count, 2), seeds[1], *ZOOM)
    mirror = tf.random.stateless_uniform((count,), seeds[2], 0, 2, tf.int32) == 1
    return transforms(size, zoom=zoom, shift=shift, mirror=mirror)


def transforms(size: int, *, zoom: Any, shift: Any, mirror: Any | None = None) -> Any:
    """Return projections, images × 8, that say for a pixel of the result where it comes from.

    Parameters
    ----------
    size
        Height and width of the images.
    zoom, shift
        Images × (down, across): distances from the centre are multiplied by the one, then the
        other, in pixels, is added.
    mirror
        Which images are then flipped left to right; none by default.
    """
    import tensorflow as tf

    centre = (size - 1) / 2
    side = tf.ones(tf.shape(zoom)[0]) if mirror is None else tf.where(mirror, -1.0, 1.0)
    down, across = zoom[:, 0], zoom[:, 1] * side
    none = tf.zeros_like(down)
    to_row = shift[:, 0] + centre - down * centre
    to_column = shift[:, 1] + centre - across * centre
    return tf.stack([across, none, to_column, none, down, to_row, none, none], axis=1)


def project(images: Any, projections: Any) -> Any:
    """Return images in bytes as projected float32 images in BGR around their means."""
    import tensorflow as tf

    projected = tf.raw_ops.ImageProjectiveTransformV3(
        images=tf.cast(images, tf.float32),
        transforms=projections,
        output_shape=tf.shape(images)[1:3],
        fill_value=0.0,
        interpolation="BILINEAR",
        fill_mode="NEAREST",
    )
    return tf.reverse(projected, (-1,)) - tf.constant(MEANS)
