package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// Accounts sends requests for accounts of people to dispatchers, which replace their
// tokens, and serves them.
type Accounts struct{ *core }

// AccountRequest is a request for the account of a person at a service.
type AccountRequest struct {
	// Tenant, User and Service are in the subject.
	Tenant  string `json:"-"`
	User    string `json:"-"`
	Service string `json:"-"`
	// Refused is the hash of an access token that the service has refused; empty if none
	// was.
	Refused string `json:"refused,omitempty"`
}

// AccountAnswer is the account, or the reason why there is none.
type AccountAnswer struct {
	// Value is the stored entry, encrypted.
	Value []byte `json:"value,omitempty"`
	// Missing means that the person must connect the account at a page below Page, because
	// of Reason if it was connected before. Title is the service's name for people.
	Missing bool   `json:"missing,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Page    string `json:"page,omitempty"`
	Title   string `json:"title,omitempty"`
	// Kind and Message describe a failure; Kind is a [tool.Kind].
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

const (
	// accountTry is the time after which the dispatcher that received a request is taken
	// for dead, and accountTime bounds all attempts.
	accountTry  = 6 * time.Second
	accountTime = 40 * time.Second
	// accountServe bounds the work of a dispatcher on a request. It goes on when the worker
	// asks again: both then wait for the same.
	accountServe = 30 * time.Second
	// accountPause is the pause between two attempts: a dispatcher may be starting.
	accountPause = 200 * time.Millisecond
	// maxAccountRequest bounds a request, in bytes.
	maxAccountRequest = 1 << 10
)

// QueueAccount is the queue group in which dispatchers receive requests for accounts.
const QueueAccount = "helve-account"

// account is where dispatchers receive requests for an account.
func (s Subjects) account(r AccountRequest) string {
	return s.Of(r.Tenant, "account", r.User, r.Service)
}

// Ask has a dispatcher return an account whose access token is valid. The error is
// [natsio.ErrUnavailable] if none answers.
func (b *Accounts) Ask(ctx context.Context, r AccountRequest) (a AccountAnswer, err error) {
	if !subject.IsName(r.Tenant) || !subject.IsName(r.User) || !subject.IsName(r.Service) {
		return a, fmt.Errorf("%q is no account", r)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, accountTime)
	defer cancel()
	for {
		reply, err := b.ask(ctx, &nats.Msg{Subject: b.subj.account(r), Data: data})
		switch {
		case err == nil:
			if err := json.Unmarshal(reply.Data, &a); err != nil {
				return a, fmt.Errorf("%w: answer about an account: %w", natsio.ErrUnavailable, err)
			}
			return a, nil
		case ctx.Err() != nil:
			return a, fmt.Errorf("%w: no dispatcher answers about an account: %w", natsio.ErrUnavailable, context.Cause(ctx))
		}
		natsio.Pause(ctx, accountPause)
	}
}

func (b *Accounts) ask(ctx context.Context, msg *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, accountTry)
	defer cancel()
	return b.conn.Request(ctx, msg)
}

// Serve answers requests with answer, until life ends.
func (b *Accounts) Serve(life context.Context, answer func(context.Context, AccountRequest) AccountAnswer) error {
	sub, err := b.conn.NATS().QueueSubscribe(b.subj.Of("*", "account", "*", "*"), QueueAccount, func(msg *nats.Msg) {
		tenant, tokens, ok := b.subj.Split(msg.Subject, 3)
		var r AccountRequest
		if !ok || len(tokens) < 3 || !natsio.Asked(msg.Reply) || len(msg.Data) > maxAccountRequest || json.Unmarshal(msg.Data, &r) != nil {
			return
		}
		r.Tenant, r.User, r.Service = tenant, tokens[1], tokens[2]
		b.conn.Go(func() {
			ctx, cancel := context.WithTimeout(life, accountServe)
			defer cancel()
			var data []byte
			err := gopool.Catch(func() (err error) {
				data, err = json.Marshal(answer(ctx, r))
				return err
			})
			if err == nil {
				err = b.conn.Answer(&nats.Msg{Subject: msg.Reply, Data: data})
			}
			if err != nil {
				b.log.Warn("worker not answered", zap.Error(err))
			}
		})
	})
	if err != nil {
		return err
	}
	context.AfterFunc(life, func() { _ = sub.Unsubscribe() }) // the connection may be closed
	return nil
}
