// Package openapi is the part of a worker that offers the operations of OpenAPI documents
// as tools (--openapi).
package openapi

import (
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/openapi"
)

// Part returns the part.
func Part() toolbox.Part { return openapi.Part() }
