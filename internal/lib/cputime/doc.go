// Package cputime measures the processor time of this process.
//
// It is exact if the system counts it, and an estimate otherwise. It never fails: if
// nothing is known it returns zero.
package cputime
