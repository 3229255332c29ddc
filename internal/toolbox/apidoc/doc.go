// Package apidoc reads OpenAPI documents, versions 3.0 and 3.1, into operations that tools
// can be made of.
//
// It promises that reading costs bounded memory and time, whatever a document holds: YAML
// aliases, nesting, references in circles and schemas that grow are counted and cut or
// refused. Nothing outside the document is ever read: a reference to a file or a host
// refuses the document. A schema that it returns is draft-07, refers to nothing, and
// compiles with package schema.
//
// It does not validate documents. What no tool needs (responses, examples, callbacks,
// webhooks, links) is only searched for references; an operation that cannot be called is
// left out, with the reason.
package apidoc
