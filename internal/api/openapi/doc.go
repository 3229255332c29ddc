// Package openapi describes the HTTP API of a dispatcher as an OpenAPI 3.1
// document, for people who read and for programs that generate clients.
//
// The document is made of Go types: each operation of [api.Operations] has one
// row that names the type its body is read into, the type its answer is written
// from, and the failures it has beside those of every request. huma turns types
// into schemas; what types cannot say, descriptions and closed sets, stands in
// tables here. Requests are not served through any of it: the document is only
// read, and a request pays nothing for it.
//
// It promises that every operation is described, every field explained, and that
// the document is the same bytes in every process of one build. That it is also
// true is for tests to hold: the whole system is asked, and its answers must be
// what is described and nothing more. Schemas of answers are open nevertheless,
// because every reader ignores fields that it does not know.
package openapi
