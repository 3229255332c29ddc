package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/client"
)

// auditRate is how many records a second are written: two for each of ten
// thousand calls.
const auditRate = 20_000

// audits writes records for a time, with a dispatcher that seals and indexes
// them beside, and then asks for them in every way.
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
	nodes := []*node{f.nodes[0], dispatcher, writer}
	before, err := usages(ctx, nodes[:2])
	if err != nil {
		return err
	}
	f.opts.sayf("audit: writing for %v", f.opts.Time)
	did, err := obeyed[written](ctx, writer, order{Write: writing{Rate: auditRate, Time: f.opts.Time}}, f.opts.Time+stallTimeout)
	if err != nil {
		return err
	}
	ended := time.Now()
	s.put("written", float64(did.Records), "records written")
	s.put("write_records_per_s", float64(did.Records)/did.Seconds, fmt.Sprintf("records stored a second; %d were to be", auditRate))
	s.put("write_ack_p50_us", did.P50, "a record sent to stored, median")
	s.put("write_ack_p99_us", did.P99, "")
	c, err := client.New(dispatcher.ready["http"])
	if err != nil {
		return err
	}
	defer c.Close()
	if err := catchUp(ctx, c, dispatcher, did.Records, ended, s); err != nil {
		return err
	}
	if err := lag.report(ctx, s); err != nil {
		return err
	}
	after, err := usages(ctx, nodes[:2])
	if err != nil {
		return err
	}
	for i, n := range nodes[:2] {
		s.put(n.role+"_cpu_us_per_record", (after[i].CPU-before[i].CPU)/float64(did.Records), "CPU of the "+n.role+" for a record, sealed and indexed")
		s.put(n.role+"_rss_mib", float64(after[i].RSS)/(1<<20), "memory of the "+n.role)
	}
	f.opts.sayf("audit: reading")
	return readBack(ctx, f, c, did.Records, s)
}
