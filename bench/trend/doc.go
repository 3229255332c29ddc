// Package trend decides whether a measured quantity grows without end.
//
// It fits a line to samples over time by least squares and widens its standard error by the
// correlation of adjacent samples: the memory of a garbage-collected process rises and falls
// like a saw, so its samples are not independent. It promises to name a leak only if the
// slope exceeds its limit beyond that uncertainty, and to name a quantity steady only if the
// slope is below its limit beyond it. It does not find a leak that is smaller than
// [Finding.Shows], which a short run cannot tell from noise.
package trend
