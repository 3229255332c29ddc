package peer

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// Asker is the sender of a request according to its subject. Person is empty if it names
// none.
type Asker struct{ Tenant, Person string }

// Handler answers one operation; header reads a header of the request.
type Handler func(ctx context.Context, from Asker, body []byte, header func(string) string) ([]byte, error)

// Fault is an error with a NATS service error code.
type Fault interface {
	error
	// Fault returns a code like HTTP's, a sentence, and a JSON body.
	Fault() (code int, description string, body []byte)
}

// ServiceName is the name of the dispatchers in $SRV.PING, INFO and STATS.
const ServiceName = "helve-dispatcher"

// Serve answers the operations on <prefix>.*.api.<operation> and
// <prefix>.*.as.<person>.api.<operation>, in the dispatchers' queue group, until the
// returned function is called: it then asks for no further requests, answers those that the
// server had sent by then, and waits for those in progress, until its context ends.
func (b *API) Serve(ctx context.Context, version string, handlers map[string]Handler) (stop func(context.Context) error, err error) {
	busy := &requests{}
	svc, err := micro.AddService(b.conn.NATS(), micro.Config{
		Name: ServiceName, Version: semver(version), QueueGroup: ServiceName,
		Description: "Takes tool calls and answers with their results.",
		Metadata:    map[string]string{versionKey: version},
	})
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", ServiceName, err)
	}
	for operation, handle := range handlers {
		for name, subject := range map[string]string{
			endpointName(operation): b.subj.API("*", operation), endpointName(operation) + "_as": b.subj.As("*", "*", operation),
		} {
			err := svc.AddEndpoint(name, b.endpoint(ctx, busy, handle),
				micro.WithEndpointSubject(subject), micro.WithEndpointPendingLimits(-1, -1))
			if err != nil {
				return nil, errors.Join(fmt.Errorf("endpoint %s: %w", name, err), svc.Stop())
			}
		}
	}
	return func(ctx context.Context) error {
		err := svc.Stop()
		if b.conn.Connected() {
			ctx, cancel := context.WithTimeout(ctx, settleTimeout)
			_ = b.conn.NATS().FlushWithContext(ctx) // nothing more comes from a server that does not answer
			busy.settle(ctx)
			cancel()
		}
		select {
		case <-busy.stop():
		case <-ctx.Done():
		}
		return err
	}, nil
}

// versionForm is the required form of a micro service's version: semver.org.
var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// semver returns version in that form; a build without a release is 0.0.0.
func semver(version string) string {
	version = strings.TrimPrefix(version, "v")
	if !versionForm.MatchString(version) {
		return "0.0.0"
	}
	return version
}

// endpointName returns a valid name of a micro endpoint for an operation.
func endpointName(operation string) string {
	name := []byte(operation)
	for i, c := range name {
		if c == '.' {
			name[i] = '_'
		}
	}
	return string(name)
}

// endpoint runs each request on its own goroutine: a call may take as long as its tool.
func (b *API) endpoint(ctx context.Context, busy *requests, handle Handler) micro.HandlerFunc {
	return func(req micro.Request) {
		if !natsio.Asked(req.Reply()) {
			if n := busy.refused(time.Now()); n > 0 {
				b.log.Warn("request refused: it has no reply subject of a caller", zap.String("subject", req.Subject()), zap.Int("count", n))
			}
			return
		}
		from := b.subj.asker(req.Subject())
		asker := from.Tenant + "/" + from.Person + "/" + req.Headers().Get("Authorization")
		done, refusal := busy.begin(asker, len(req.Data()))
		if refusal != nil {
			b.refuse(req, refusal)
			return
		}
		b.conn.Go(func() {
			defer done()
			var reply []byte
			err := gopool.Catch(func() (err error) {
				reply, err = handle(ctx, from, req.Data(), req.Headers().Get)
				return err
			})
			if crash, ok := errors.AsType[*gopool.Panic](err); ok {
				b.log.Error("request crashed", zap.String("subject", req.Subject()), zap.Error(crash))
				err = natsio.ErrCrashed
			}
			if err != nil {
				b.refuse(req, err)
				return
			}
			if err := b.conn.Answer(&nats.Msg{Subject: req.Reply(), Data: reply}); err != nil {
				b.refuse(req, err)
			}
		})
	}
}

func (b *API) refuse(req micro.Request, err error) {
	code, description, body := 500, err.Error(), []byte(nil)
	if f, ok := errors.AsType[Fault](err); ok {
		code, description, body = f.Fault()
	}
	err = b.conn.Answer(&nats.Msg{Subject: req.Reply(), Data: body, Header: nats.Header{
		micro.ErrorCodeHeader: {strconv.Itoa(code)}, micro.ErrorHeader: {description},
	}})
	if err != nil {
		b.log.Warn("answer not sent", zap.Error(err))
	}
}
