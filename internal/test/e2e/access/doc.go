// Package access tests who may see what, on whole systems.
//
// It promises that tenants and persons with keys are separate through each operation, and that a dispatcher
// without authentication is reached from its own host only.
package access
