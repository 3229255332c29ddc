package data

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Personal implements [api.PersonalData]. Usually one pool holds all personal data; if pools
// have databases of their own, each is asked.
type Personal struct {
	Asker

	Trail  trail.Writer
	Grants api.Grants
	Custom api.CustomTools
	// Accounts has the accounts and other entries of services.
	Accounts Accounts
	// Devices has the devices to which requests of a person are sent.
	Devices interface {
		Forget(ctx context.Context, tenant, user string) error
	}
	// Programs cancels and removes the programs of a person; calls without a user are those of
	// the person "_".
	Programs interface {
		Erase(ctx context.Context, tenant, user string) error
	}
	// Sweep is called after an import, which may bring tasks that need timers.
	Sweep func()
	Log   *zap.Logger
}

// Accounts exports and deletes the entries of services that a person has.
type Accounts interface {
	// Export writes the entries without secrets, as lines of an export.
	Export(ctx context.Context, tenant, user string, w io.Writer) error
	// DeleteAll deletes the entries, and returns their number.
	DeleteAll(ctx context.Context, tenant, user string) (int, error)
}

// record puts an operation on the trail under its name, before it takes effect.
func (p Personal) record(ctx context.Context, tenant, user, operation, what string) error {
	return p.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditPersonalData, Tenant: tenant, User: user, Tool: operation, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what,
	})
}

// Summary implements [api.PersonalData].
func (p Personal) Summary(ctx context.Context, tenant, user string) (sum protocol.DataSummary, err error) {
	pools, err := p.pools(ctx, tenant)
	if err != nil {
		return sum, err
	}
	for _, pool := range pools {
		var part protocol.DataSummary
		if err := p.Ask(ctx, pool, peer.DataRequest{Op: peer.DataSummary, Tenant: tenant, Person: user}, nil, nil, &part); err != nil {
			return sum, err
		}
		sum = together(sum, part)
	}
	return sum, nil
}

// together adds the summaries of two databases up.
func together(a, b protocol.DataSummary) protocol.DataSummary {
	a.Items, a.Bytes = a.Items+b.Items, a.Bytes+b.Bytes
	for _, c := range b.Collections {
		i := slices.IndexFunc(a.Collections, func(known protocol.DataCollection) bool { return known.Name == c.Name })
		if i < 0 {
			a.Collections = append(a.Collections, c)
			continue
		}
		a.Collections[i].Items += c.Items
		a.Collections[i].Bytes += c.Bytes
	}
	slices.SortStableFunc(a.Collections, func(x, y protocol.DataCollection) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return a
}

// exportTime bounds an export.
const exportTime = 20 * time.Minute

// Export implements [api.PersonalData].
func (p Personal) Export(ctx context.Context, tenant, user, format string, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	pools, err := p.pools(ctx, tenant)
	if err != nil {
		return err
	}
	if len(pools) > 1 && format != "jsonl" {
		return severalStores(pools, "only the format jsonl can be exported")
	}
	if err := p.record(ctx, tenant, user, api.DataExport, "the data of the person is exported as "+format); err != nil {
		return err
	}
	for _, pool := range pools {
		if err := p.Ask(ctx, pool, peer.DataRequest{Op: peer.DataExport, Tenant: tenant, Person: user, Format: format}, nil, w,
			nil); err != nil {
			return err
		}
	}
	if format == "jsonl" {
		return p.Accounts.Export(ctx, tenant, user, w)
	}
	return nil
}

func severalStores(pools []string, what string) error {
	return &api.RequestError{
		Type:   "conflict",
		Status: http.StatusConflict,
		Msg: fmt.Sprintf("the pools %v keep personal data in databases of their own, so %s; set store.url on all workers (docs/data.md)",
			pools, what),
	}
}

// importTime bounds an import.
const importTime = 10 * time.Minute

// Import implements [api.PersonalData].
func (p Personal) Import(
	ctx context.Context, tenant, user, format string, file io.Reader, replace bool,
) (done protocol.DataImported, err error) {
	ctx, cancel := context.WithTimeout(ctx, importTime)
	defer cancel()
	pools, err := p.pools(ctx, tenant)
	if err != nil {
		return done, err
	}
	if len(pools) > 1 {
		return done, severalStores(pools, "it is not known which of them an import is for")
	}
	if err := p.record(ctx, tenant, user, "data.import", "data is imported for the person from a file of the format "+format); err != nil {
		return done, err
	}
	err = p.Ask(ctx, pools[0], peer.DataRequest{Op: peer.DataImport, Tenant: tenant, Person: user, Format: format, Replace: replace},
		file, nil, &done)
	p.Sweep() // an import that failed may have stored tasks too
	return done, err
}
