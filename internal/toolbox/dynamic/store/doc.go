// Package store keeps dynamic tools in a key-value bucket: their owners, and the version of
// each that was shared with the tenant.
//
// It promises that a name belongs to one person until a version is shared; that the shared
// version is a copy of exactly one version, unaffected by later changes of the original;
// and that only the owner of a shared name can replace it. Older versions are kept as long
// as the history of the bucket reaches. It compiles and runs nothing, so
// that a dispatcher can use it too.
package store
