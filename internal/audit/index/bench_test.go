package index

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
)

// BenchmarkCopy copies 200,000 records into an empty index, with all merges.
func BenchmarkCopy(b *testing.B) {
	const n = 200_000
	s := newStream()
	for i := range n {
		s.store("acme", stored(b, i))
	}
	onEach(b, func(b *testing.B, where Options) {
		where.Log = zap.NewNop()
		before := cpuTime(b)
		for range b.N {
			x := open(b, where)
			run(b, x, s)
			if err := x.Wait(b.Context(), n); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64((cpuTime(b)-before).Nanoseconds())/1e3/float64(n)/float64(b.N), "cpu-µs/record")
	})
}

// cpuTime returns the processor time that the process has taken.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLookup looks single calls up in an index of HELVE_BENCH_RECORDS records, or a
// million, and pages of records. It reports how large the index is, and how many statements
// and pages of keys a look-up reads.
func BenchmarkLookup(b *testing.B) {
	n := 1_000_000
	if text := os.Getenv("HELVE_BENCH_RECORDS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	onEach(b, func(b *testing.B, where Options) {
		where.Log = zap.NewNop()
		x := open(b, where)
		filled(b, x, n)
		var size int64
		statement := `SELECT pg_database_size(current_database())`
		if where.URL == "" {
			statement = `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`
		}
		if err := x.db.pool().QueryRow(statement).Scan(&size); err != nil {
			b.Fatal(err)
		}
		var segments int
		if err := x.db.pool().QueryRow(`SELECT count(*) FROM audit_segment`).Scan(&segments); err != nil {
			b.Fatal(err)
		}
		b.Run("call", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				callID := id("call", i*7919%(n/2))
				page, err := x.Query(b.Context(), audit.Query{Tenant: "acme", CallID: callID})
				if err != nil || len(page.Records) != 2 {
					b.Fatal(len(page.Records), err)
				}
			}
			b.ReportMetric(float64(size)/float64(n), "bytes/record")
			b.ReportMetric(float64(segments), "keypages/op") // one of each segment
		})
		for name, q := range map[string]audit.Query{
			"no such call":               {CallID: "none"},
			"trace":                      {TraceID: id("trace", n/8)},
			"newest":                     {Newest: true},
			"errors of a user in a tool": {User: "user-3", Tool: "tool_4", Status: "error"},
			"newest of a user":           {User: "user-3", Newest: true},
			"a thousand of a user":       {User: "user-3", Limit: audit.MaxLimit},
			"a thousand":                 {Limit: audit.MaxLimit},
			"a late minute":              {From: began.Add(time.Duration(n-100) * time.Second), To: began.Add(time.Duration(n-40) * time.Second)},
			"a late minute of a tool": {
				Tool: "tool_4",
				From: began.Add(time.Duration(n-100) * time.Second),
				To:   began.Add(time.Duration(n-40) * time.Second),
			},
		} {
			q.Tenant = "acme"
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := x.Query(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// filled writes records until x holds n.
func filled(b *testing.B, x *Index, n int) {
	b.Helper()
	ctx := context.Background()
	c := newCopier(nil, x.db.pool(), x.db)
	err := x.look(ctx, func(t *tx) (err error) {
		c.cursor, err = t.cursor(ctx)
		return err
	})
	var batch []audit.Message
	began := time.Now()
	for i := int(c.seq); i < n && err == nil; i++ {
		batch = append(batch, audit.Message{Seq: uint64(i + 1), Tenant: "acme", Data: stored(b, i)})
		if len(batch) == batchRecords || i == n-1 {
			if err = c.write(ctx, batch); err == nil {
				err = c.merge(ctx, nil)
			}
			batch = batch[:0]
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "%d records after %v\n", n, time.Since(began))
}
