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

// required is the error of a call that needs an engine if there is none.
const required = "Docker is REQUIRED for code execution. " +
	"Code execution without Docker sandbox would allow arbitrary code to run on the host system. " +
	"Please install and start Docker: https://docs.docker.com/get-docker/ " +
	"(the operator sets docker.host where its socket is not the usual one)"

// patience limits the time of a short request to the engine.
const patience = 20 * time.Second

// ask limits the time of one request to the engine.
func ask(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}

// engineError converts a failed request to the engine to the error of the call.
func engineError(ctx context.Context, err error, doing string) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case client.IsErrConnectionFailed(err) && strings.Contains(err.Error(), "permission denied"):
		return tool.Fail(tool.NotConfigured,
			"Docker is REQUIRED for code execution, but the worker may not use it: the operator adds the worker's user to the group of the socket "+
				"('sudo usermod -aG docker USER', then a new start), or sets docker.host to an engine that it may use").Because(err)
	case client.IsErrConnectionFailed(err):
		return tool.Fail(tool.NotConfigured, required).Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return tool.Fail(tool.ExecutionError, "Docker did not answer in time while %s; try again later, or ask the operator to look at it",
			doing).Because(err)
	}
	return tool.Fail(tool.ExecutionError, "Docker failed while %s; try again later, or ask the operator to look at its log",
		doing).Because(err)
}

// lost reports whether a request was not answered, so that its effect is unknown.
func lost(err error) bool {
	return client.IsErrConnectionFailed(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET)
}

// reach fails if no engine answers.
func (d *Docker) reach(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, patience/4)
	defer cancel()
	if _, err := d.engine.Ping(limited, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		return engineError(ctx, err, "it was looked for")
	}
	return nil
}

// missing returns the error for an image that the engine does not have.
func missing(err error, image string) error {
	if !errdefs.IsNotFound(err) {
		return nil
	}
	return tool.Fail(tool.NotConfigured,
		"Docker does not have the image %[1]s: the operator fetches it with 'docker pull %[1]s', or sets docker.pull: true", image).Because(err)
}
