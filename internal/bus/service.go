package bus

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// Handler answers one operation; tenant comes from the subject, header reads a
// header of the request.
type Handler func(ctx context.Context, tenant string, body []byte, header func(string) string) ([]byte, error)

// Fault is an error that knows its NATS service error code.
type Fault interface {
	error
	// Fault returns a code like HTTP's, a sentence, and a JSON body.
	Fault() (code int, description string, body []byte)
}

// ServiceName is how the dispatchers are found with $SRV.PING, INFO and STATS.
const ServiceName = "helve-dispatcher"

// Serve answers the operations on <prefix>.*.api.<operation>, as one of the
// dispatchers' queue group, until the returned function is called: it takes no
// more requests and waits for those that are being answered, until its context
// ends.
func (b *Bus) Serve(ctx context.Context, version string, handlers map[string]Handler) (stop func(context.Context) error, err error) {
	busy := &requests{}
	svc, err := micro.AddService(b.nc, micro.Config{
		Name: ServiceName, Version: semver(version), QueueGroup: ServiceName,
		Description: "Takes tool calls and answers with their results.",
	})
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", ServiceName, err)
	}
	for operation, handle := range handlers {
		err := svc.AddEndpoint(endpointName(operation), b.endpoint(ctx, busy, handle),
			micro.WithEndpointSubject(b.subj.API("*", operation)),
			micro.WithEndpointPendingLimits(-1, -1))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("endpoint %s: %w", operation, err), svc.Stop())
		}
	}
	return func(ctx context.Context) error {
		err := svc.Stop()
		select {
		case <-busy.stop():
		case <-ctx.Done():
		}
		return err
	}, nil
}

// versionForm is what a micro service's version must look like: semver.org.
var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// semver returns version in that form; a build without a release is 0.0.0.
func semver(version string) string {
	version = strings.TrimPrefix(version, "v")
	if !versionForm.MatchString(version) {
		return "0.0.0"
	}
	return version
}

// endpointName maps an operation to what a micro endpoint may be called.
func endpointName(operation string) string {
	name := []byte(operation)
	for i, c := range name {
		if c == '.' {
			name[i] = '_'
		}
	}
	return string(name)
}

// endpoint runs each request on its own goroutine: a call may take as long as
// its tool.
func (b *Bus) endpoint(ctx context.Context, busy *requests, handle Handler) micro.HandlerFunc {
	return func(req micro.Request) {
		tenant, _ := b.subj.tenantAndLast(req.Subject())
		if !busy.begin() {
			b.refuse(req, errStopping)
			return
		}
		b.crew.Go(func() {
			defer busy.end()
			reply, err := handle(ctx, tenant, req.Data(), req.Headers().Get)
			if err != nil {
				b.refuse(req, err)
				return
			}
			if err := b.answer(&nats.Msg{Subject: req.Reply(), Data: reply}); err != nil {
				b.refuse(req, err)
			}
		})
	}
}

func (b *Bus) refuse(req micro.Request, err error) {
	code, description, body := 500, err.Error(), []byte(nil)
	if f, ok := errors.AsType[Fault](err); ok {
		code, description, body = f.Fault()
	}
	err = b.answer(&nats.Msg{Subject: req.Reply(), Data: body, Header: nats.Header{
		micro.ErrorCodeHeader: {strconv.Itoa(code)}, micro.ErrorHeader: {description},
	}})
	if err != nil {
		b.log.Warn("answer not sent: " + err.Error())
	}
}

// answer sends what a request is answered with. The request itself is micro's
// again as soon as its handler has returned. Its reply subject is the asker's
// choice: this process, which may publish nearly anywhere, must not be had to.
func (b *Bus) answer(msg *nats.Msg) error {
	if msg.Subject == "" || strings.HasPrefix(msg.Subject, b.subj.prefix+".") || strings.HasPrefix(msg.Subject, "$") {
		return nil
	}
	return b.nc.PublishMsg(msg)
}
