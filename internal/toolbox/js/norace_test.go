//go:build !race

package js

const raced = false
