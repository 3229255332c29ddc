// Package tsdecl writes TypeScript declarations of functions whose arguments and results are
// described by JSON schemas, so that people and models write code that fits them.
//
// It promises text that a TypeScript compiler accepts, whatever the schemas and descriptions
// hold, and the same text for the same functions in any order. A declaration is of bounded
// size: what is beyond a bound, refers to itself or is not understood is unknown. It does not
// promise that a type is as narrow as its schema: a schema says more than a type can.
package tsdecl
