// Package openapi is the part of a worker that offers the operations of OpenAPI documents
// as tools.
//
// It promises that a worker whose configuration names no documents reads nothing, and that
// a document which is refused does not keep a worker from starting.
package openapi

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/apitools"
)

// Part returns the part.
func Part() toolbox.Part { return toolbox.Part{Name: toolbox.OpenAPI, Attach: attach} }

func attach(_ context.Context, host toolbox.Host) (toolbox.Attached, error) {
	if host.Config.OpenAPIFile == "" {
		return toolbox.Attached{}, nil
	}
	if _, _, err := apitools.Read(host.Config.OpenAPIFile); err != nil {
		return toolbox.Attached{}, fmt.Errorf("openapi_file: %w", err)
	}
	d := newDocuments(host)
	return toolbox.Attached{Refuses: d.refuses, Follow: d.follow, Close: d.close}, nil
}
