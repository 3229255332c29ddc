// Package jsonx has JSON where it must be exact: its canonical form, and schemas.
//
// It promises that hostile documents and schemas cost bounded time and memory. It does not
// know tools, calls or transports.
package jsonx
