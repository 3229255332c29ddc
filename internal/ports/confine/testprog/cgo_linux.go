//go:build cgo

package main

import _ "runtime/cgo" // which links the program with it if there is a C compiler
