package bench

import (
	"context"
	"time"

	"github.com/helve-dev/helve/client"
)

// auditRate is the number of records written per second: two for each of ten thousand
// calls.
const auditRate = 20_000

// audits writes records for a time while a dispatcher seals and indexes them, and then
// runs every kind of query.
func audits(ctx context.Context, f *fleet, s *Sheet) error {
	dispatcher, err := f.dispatcher(ctx)
	if err != nil {
		return err
	}
	writer, err := f.start(ctx, roleWriter, f.nats)
	if err != nil {
		return err
	}
	lag, err := watchSeals(ctx, f.nats)
	if err != nil {
		return err
	}
	defer lag.close()
	c, err := client.New(dispatcher.ready["http"])
	if err != nil {
		return err
	}
	defer c.Close()
	f.opts.sayf("audit: writing for %v", f.opts.Time)
	var did written
	err = spending(ctx, s, []*node{f.broker(), dispatcher}, "record", func() (_ int, err error) {
		did, err = obeyed[written](ctx, writer, order{Write: writing{auditRate, f.opts.Time}}, f.opts.Time+stallTimeout)
		if err != nil {
			return 0, err
		}
		ended := time.Now()
		did.report(s)
		if err := catchUp(ctx, c, dispatcher, did.Records, ended, s); err != nil {
			return 0, err
		}
		return did.Records, lag.report(ctx, s)
	})
	if err != nil {
		return err
	}
	f.opts.sayf("audit: reading")
	return readBack(ctx, f, c, did.Records, s)
}
