// Package vector finds the vectors that are nearest to a vector, in memory.
//
// It promises exact results for an index of fewer than 50,000 vectors: a search compares the
// vector with every vector of the index, in single precision, and the score of each result is
// computed again in double precision. From 50,000 vectors of 128 numbers on it first
// estimates all scores from sketches of one bit for each number, and compares the vectors that
// may belong to the results; it finds 97 % of the nearest vectors or more, and how many does
// not depend on filters, changes or the kind of data. It does not hold the vectors of a
// collection that is larger than memory allows, and does no input or output; its caller adds
// and removes vectors.
//
// The loops are those of gonum's BLAS, which are in assembly on amd64. Measured on two idle
// cores (BenchmarkSearch): docs/decisions has the figures, and those of coder/hnsw.
package vector
