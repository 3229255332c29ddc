package docker

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/tool"
)

// required is what a call that needs an engine is told where there is none.
const required = "Docker is REQUIRED for code execution. " +
	"Code execution without Docker sandbox would allow arbitrary code to run on the host system. " +
	"Please install and start Docker: https://docs.docker.com/get-docker/"

// patience is how long the engine has for a request that takes it moments.
const patience = 20 * time.Second

// ask gives one request to the engine its time.
func ask(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}

// failed says what a failed request to the engine means for the call.
func failed(ctx context.Context, err error, doing string) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case client.IsErrConnectionFailed(err) && strings.Contains(err.Error(), "permission denied"):
		return tool.Fail(tool.NotConfigured, "Docker is REQUIRED for code execution, but the worker may not use it: the operator must let the worker's user reach the Docker socket").Because(err)
	case client.IsErrConnectionFailed(err):
		return tool.Fail(tool.NotConfigured, required).Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return tool.Fail(tool.ExecutionError, "Docker did not answer in time while %s; try again later, or ask the operator to look at it", doing).Because(err)
	}
	return tool.Fail(tool.ExecutionError, "Docker failed while %s; try again later, or ask the operator to look at its log", doing).Because(err)
}

// lost says that a request was not answered: nobody knows whether the engine did
// what it asks for.
func lost(err error) bool {
	return client.IsErrConnectionFailed(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// reach fails where there is no engine that answers.
func (d *Docker) reach(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, patience/4)
	defer cancel()
	if _, err := d.engine.Ping(limited, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		return failed(ctx, err, "it was looked for")
	}
	return nil
}

// missing says that the engine does not have the image.
func missing(err error, image string) error {
	if !errdefs.IsNotFound(err) {
		return nil
	}
	return tool.Fail(tool.NotConfigured, "Docker does not have the image %s: the operator must fetch it (docker pull %s), or let images be pulled", image, image).Because(err)
}
