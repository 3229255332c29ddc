package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// written returns a whole export of n records, made without a server.
func written(b *testing.B, n int) []byte {
	b.Helper()
	key := testKey("sealer")
	var out bytes.Buffer
	p := page{Exporter: &Exporter{Key: key}, q: Query{Tenant: "acme"}}
	put := func(line []byte, err error) {
		if err != nil {
			b.Fatal(err)
		}
		p.put(line)
	}
	put(json.Marshal(header{Version: exportVersion, Tenant: "acme", Time: time.Now(), Complete: true, First: 1, To: uint64(n)}))
	var last head
	var l leaves
	for i := 1; i <= n; i++ {
		r := fullRecord()
		r.ID, r.CallID = "", fmt.Sprint("call-", i)
		data, err := Encode(&r)
		put(asLine(Place{Seq: uint64(i)}, data), err)
		p.Records++
		l.add(Place{Seq: uint64(i)}, leaf(Place{Seq: uint64(i)}, digest(data)))
		if l.len() == sealRecords || i == n {
			o := seal("acme", last, l, time.Now(), key)
			put(o.encode())
			last, l = o.head(), leaves{}
			p.SealLines, p.LastSeal = p.SealLines+1, o.N
		}
	}
	if err := p.close(); err != nil {
		b.Fatal(err)
	}
	for _, line := range p.lines {
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// BenchmarkVerifyFile reports how many records a second one core verifies.
func BenchmarkVerifyFile(b *testing.B) {
	const n = 100_000
	export := written(b, n)
	b.SetBytes(int64(len(export)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := VerifyFile(bytes.NewReader(export), publicOf(testKey("sealer")))
		if err != nil || !r.OK || r.Records != n {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkTrail fills a real trail beside a running sealer, reports how far
// behind the sealer was at most, and verifies it where it lies.
func BenchmarkTrail(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		on := queuetest.Connect(b, queuetest.Server(b))
		var worst atomic.Int64
		s := Sealer{Source: onNATS{on}, Seals: sealsOnNATS{on}, Key: testKey("sealer"), Lag: func(d time.Duration) {
			worst.Store(max(worst.Load(), int64(d)))
		}}
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()

		start := time.Now()
		room := make(chan struct{}, 256)
		for i := range n {
			r := fullRecord()
			r.ID, r.CallID = "", fmt.Sprint("call-", i)
			data, err := Encode(&r)
			if err != nil {
				b.Fatal(err)
			}
			room <- struct{}{}
			stream.On(on.Conn).Record("acme", r.Tool, data, func(err error) {
				if err != nil {
					b.Error(err)
				}
				<-room
			})
		}
		b.ReportMetric(n/time.Since(start).Seconds(), "stored/s")
		queuetest.Until(b, "sealed", func() bool {
			data, err := stream.On(on.Conn).LastSeal(b.Context(), "acme")
			if err != nil {
				b.Fatal(err)
			}
			o, err := open(data, ring(publicOf(s.Key)))
			return err == nil && o.To == n
		})
		cancel()
		<-ended
		b.ReportMetric(time.Duration(worst.Load()).Seconds(), "lag-s")

		start = time.Now()
		v := Verifier{Source: onNATS{on}, Seals: sealsOnNATS{on}, Keys: []ed25519.PublicKey{publicOf(s.Key)}}
		r, err := v.Verify(b.Context(), "acme", Range{})
		if err != nil || !r.OK || r.Records != n {
			b.Fatal(r, err)
		}
		b.ReportMetric(n/time.Since(start).Seconds(), "verified/s")
	}
}
