// Package openapi describes the HTTP API of a dispatcher as an OpenAPI 3.1 document,
// for readers and for client generators.
//
// The document is made of Go types: each operation of [api.Operations] has a row that
// names the types of its body and its answer, and its failures beyond those of every
// request. huma converts types to schemas; descriptions and closed sets, which types
// cannot express, are in tables here. Requests are not served through any of it: the
// document is only read and costs a request nothing.
//
// It promises that every operation is described, every field explained, and that the
// document is the same bytes in every process of one build. Tests check that it is also
// true: they call the whole system, whose answers must match the description exactly.
// Schemas of answers are open nevertheless, because readers ignore unknown fields.
package openapi
