from dataclasses import replace

import numpy as np
import pytest
import torch

from ppe_core.nets.recipes import IMAGE_RECIPES, VECTOR_RECIPES
from ppe_core.nets.training import Fit, _batches, _splits, fit_classifier
from ppe_core.ppe.gaps import losses


def blobs(n: int = 600, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three well separated clouds in five dimensions."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    centres = 3 * np.eye(3, 5)
    return (centres[labels] + 0.3 * rng.standard_normal((n, 5))).astype(np.float32), labels


def fit(recipe: str = "fast", seed: int = 0, **changes) -> Fit:
    observations, labels = blobs()
    return fit_classifier(observations, labels, 3, replace(VECTOR_RECIPES[recipe], **changes), seed, losses)


@pytest.mark.parametrize("recipe", VECTOR_RECIPES)
def test_every_recipe_learns_separated_clouds(recipe: str) -> None:
    fresh, labels = blobs(seed=9)
    classifier = fit(recipe).classifier
    predicted = classifier.probabilities(fresh)
    assert np.allclose(predicted.sum(1), 1, atol=1e-5)
    assert (predicted.argmax(1) == labels).mean() > 0.99


def test_paper_recipe_is_the_appendix_table() -> None:
    recipe = VECTOR_RECIPES["paper"]
    assert (recipe.learning_rate, recipe.batch, recipe.clip, recipe.hidden) == (1e-3, 256, 10.0, (56, 56))
    assert (recipe.patience, recipe.epochs, recipe.validation, recipe.folds) == (20, 50, 0.2, 1)


def test_same_seed_same_fit_to_the_bit() -> None:
    one, two = fit(seed=4), fit(seed=4)
    assert np.array_equal(one.predictions, two.predictions) and one.curve == two.curve
    assert not np.array_equal(one.predictions, fit(seed=5).predictions)


@pytest.mark.parametrize("count", [40, 41, 43, 600])
def test_no_net_trains_on_what_it_predicts(count: int) -> None:
    labels = np.sort(np.arange(count) % 7)
    train, held = _splits(labels, VECTOR_RECIPES["fast"], torch.Generator())
    assert sorted(set(held.flatten().tolist())) == list(range(count))
    for member in range(len(train)):
        assert not set(train[member].tolist()) & set(held[member].tolist())
        assert len(train[member]) >= count - held.shape[1]


def test_folds_share_every_label_evenly() -> None:
    labels = np.repeat(np.arange(5), 2 * VECTOR_RECIPES["fast"].folds)
    _, held = _splits(labels, VECTOR_RECIPES["fast"], torch.Generator())
    for rows in held:
        assert np.bincount(labels[rows]).tolist() == [2] * 5


def test_validation_share_is_held_out_and_not_trained_on() -> None:
    train, held = _splits(np.zeros(100, int), VECTOR_RECIPES["paper"], torch.Generator().manual_seed(0))
    assert (train.shape, held.shape) == ((1, 80), (1, 20))
    assert sorted(train[0].tolist() + held[0].tolist()) == list(range(100))


def test_a_pass_shows_every_row_once() -> None:
    rows = torch.arange(20).reshape(2, 10)
    batches = _batches(rows, replace(VECTOR_RECIPES["paper"], batch=4), torch.Generator().manual_seed(0))
    epoch = torch.cat(list(next(batches)), dim=1)
    assert torch.equal(epoch.sort(1).values, rows)
    assert not torch.equal(epoch, torch.cat(list(next(batches)), dim=1))


def test_short_epochs_have_the_steps_they_say() -> None:
    rows = torch.arange(20).reshape(2, 10)
    recipe = replace(VECTOR_RECIPES["fast"], batch=4, steps_per_epoch=5)
    batches = _batches(rows, recipe, torch.Generator().manual_seed(0))
    assert [len(next(batches)) for _ in range(4)] == [5] * 4


def test_training_stops_when_held_out_data_stops_improving_and_keeps_the_best() -> None:
    """Labels that have nothing to do with the observations can only be memorised."""
    rng = np.random.default_rng(0)
    observations, labels = rng.standard_normal((200, 20)).astype(np.float32), rng.integers(4, size=200)
    recipe = replace(VECTOR_RECIPES["paper"], learning_rate=1e-2, patience=5, grace=5)
    result = fit_classifier(observations, labels, 4, recipe, 0, losses)
    held = np.array([epoch.held_out_loss for epoch in result.curve])
    assert len(held) == held.argmin() + 1 + 5 < recipe.epochs
    kept = losses(result.predictions[result.held_out], labels[result.held_out]).mean()
    assert kept == pytest.approx(held.min(), rel=1e-5)


def test_before_the_first_improvement_training_waits_longer() -> None:
    rng = np.random.default_rng(0)
    observations, labels = rng.standard_normal((200, 20)).astype(np.float32), rng.integers(4, size=200)
    recipe = replace(VECTOR_RECIPES["fast"], grace=7, patience=2)

    def never_better(predictions: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return np.ones(len(labels))

    assert len(fit_classifier(observations, labels, 4, recipe, 0, never_better).curve) == 8


def test_constant_observations_are_survived() -> None:
    result = fit_classifier(np.zeros((60, 3), np.float32), np.arange(60) % 3, 3, VECTOR_RECIPES["fast"], 0, losses)
    assert np.isfinite(result.predictions).all()


def pictures(n: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A bright square in one of three patches of a 16×24 image, and noise."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    images = rng.integers(0, 60, (n, 16, 24, 3), np.uint8)
    for image, label in zip(images, labels):
        image[2:7, 8 * label + 2 : 8 * label + 6] = 200
    return images, labels


@pytest.mark.parametrize("recipe", IMAGE_RECIPES)
def test_every_image_recipe_learns_where_a_square_is(recipe: str) -> None:
    images, labels = pictures()
    classifier = fit_classifier(images, labels, 3, replace(IMAGE_RECIPES[recipe], batch=32), 0, losses).classifier
    fresh, truth = pictures(seed=9)
    assert (classifier.probabilities(fresh).argmax(1) == truth).mean() > 0.98


@pytest.mark.parametrize("threads", [3, 4])
def test_the_number_of_threads_does_not_change_a_fit(threads: int) -> None:
    images, labels = pictures()
    recipe = replace(IMAGE_RECIPES["fast"], epochs=2)
    one, two = (fit_classifier(images, labels, 3, replace(recipe, threads=count), 0, losses) for count in (2, threads))
    assert np.array_equal(one.predictions, two.predictions)
    assert np.array_equal(one.classifier.weights()["parameters"], two.classifier.weights()["parameters"])
