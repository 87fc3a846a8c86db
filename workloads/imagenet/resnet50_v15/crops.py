"""Images as HPC AI500 shows them to ResNet-50 v1.5: random crops in training, central ones in validation.

A training crop covers 5 to 100 % of the image, at a ratio of width to height of 0.75 to 1.33, is resized
bilinearly without keeping that ratio, and mirrored in half of the cases. For validation the short side is
resized to 8/7 of the network's (256 for 224) and the centre cut out. Colours are RGB, less their means,
divided by 255. There is no other distortion of colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MEANS = (123.68, 116.78, 103.94)  # red, green, blue
SCALE = 255.0
LEAST_COVERED = 0.1
RATIOS = (0.75, 1.33)
AREAS = (0.05, 1.0)
ATTEMPTS = 100
_VALIDATION_SIDE = 256 / 224


@dataclass(frozen=True, slots=True)
class Crops:
    """The benchmark's view of the images; see `workloads.imagenet.pipeline.View`.

    Parameters
    ----------
    size
        Height and width in pixels.
    """

    size: int

    def training_image(self, encoded: Any, seed: Any) -> Any:
        """Return a random part of an encoded image, resized; of a JPEG file only that part is decoded."""
        import tensorflow as tf

        one, other = tf.unstack(tf.random.split(seed, 2))

        def from_jpeg() -> Any:
            window = random_window(tf.io.extract_jpeg_shape(encoded), one)
            return tf.io.decode_and_crop_jpeg(encoded, window, channels=3)

        def from_other() -> Any:
            image = _decode(encoded)
            top, left, height, width = tf.unstack(random_window(tf.shape(image), one))
            return image[top : top + height, left : left + width]

        image = tf.cond(tf.io.is_jpeg(encoded), from_jpeg, from_other)
        image.set_shape((None, None, 3))
        mirrored = tf.image.stateless_random_flip_left_right(image, other)
        return tf.image.resize(mirrored, (self.size, self.size))

    def training_batch(self, images: Any, seed: Any) -> Any:  # noqa: ARG002
        """Return normalised images."""
        return normalised(images)

    def validation_image(self, encoded: Any) -> Any:
        """Return the centre of an encoded image."""
        import tensorflow as tf

        image = _decode(encoded)
        sides = tf.cast(tf.shape(image)[:2], tf.float32)
        side = round(self.size * _VALIDATION_SIDE)
        scaled = tf.maximum(tf.cast(tf.round(sides * side / tf.reduce_min(sides)), tf.int32), side)
        image = tf.image.resize(image, scaled)
        return tf.image.resize_with_crop_or_pad(image, self.size, self.size)

    def validation_batch(self, images: Any) -> Any:
        """Return normalised images."""
        return normalised(images)


def random_window(shape: Any, seed: Any) -> Any:
    """Return top, left, height and width of a random part of an image of this shape."""
    import tensorflow as tf

    begin, size, _ = tf.image.stateless_sample_distorted_bounding_box(
        shape,
        bounding_boxes=tf.constant([[[0.0, 0.0, 1.0, 1.0]]]),
        seed=seed,
        min_object_covered=LEAST_COVERED,
        aspect_ratio_range=RATIOS,
        area_range=AREAS,
        max_attempts=ATTEMPTS,
        use_image_if_no_bounding_boxes=True,
    )
    return tf.concat([begin[:2], size[:2]], axis=0)


def normalised(images: Any) -> Any:
    """Return images around their means, in 255ths."""
    import tensorflow as tf

    return (images - tf.constant(MEANS)) / SCALE


def _decode(encoded: Any) -> Any:
    import tensorflow as tf

    image = tf.io.decode_image(encoded, channels=3, expand_animations=False)
    image.set_shape((None, None, 3))
    return image
