"""`benchmarks/products.py`: its program multiplies as SciPy does."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

import starplat
from benchmarks import products
from benchmarks.measured import graphs


def test_ten_products_are_those_of_scipy(tmp_path: Path) -> None:
    file = tmp_path / "products.sp"
    file.write_text(products.PROGRAM, encoding="utf-8")
    graph = products.with_shares(graphs.load("rmat10").graph)
    x = products.first_vector(graph.num_nodes)
    found = starplat.compile(file).run(graph, target="reference", arguments={"value": x})["value"]
    matrix = csr_array((graph.weights, graph.columns, graph.row_offsets), shape=(graph.num_nodes,) * 2)
    for _ in range(products.PRODUCTS):
        x = matrix @ x
    assert np.allclose(found, x, rtol=1e-4)
    assert np.ptp(x) > 0
