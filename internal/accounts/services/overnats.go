package services

import (
	"cmp"
	"context"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/tool"
)

// OverNATS has a dispatcher replace the tokens of accounts of people. It implements [Accounts].
type OverNATS struct{ Queue *queue.Queue }

// Ask implements [Accounts].
func (a OverNATS) Ask(ctx context.Context, tenant, user, service, refused string) ([]byte, error) {
	answer, err := a.Queue.Accounts.Ask(ctx, peer.AccountRequest{Tenant: tenant, User: user, Service: service, Refused: refused})
	switch {
	case err != nil:
		return nil, tool.Fail(tool.Overloaded, "the account of %s is not available, because no dispatcher answers; try again",
			service).Because(err)
	case answer.Missing:
		m := &tool.AccountMissing{Service: service, Title: cmp.Or(answer.Title, service), Reason: answer.Reason, Page: answer.Page}
		return nil, tool.Fail(tool.NotConfigured, "%s for %s; the person connects it with helve config connect %s --user %s",
			m, user, service, user).Because(m)
	case answer.Kind != "":
		return nil, tool.Fail(tool.Kind(answer.Kind), "%s", answer.Message)
	}
	return answer.Value, nil
}
