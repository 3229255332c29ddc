package audit

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// BenchmarkSealer seals a real trail that is there already, of messages of one record
// and of blocks. It reports how many records a second are sealed, how many bytes a seal
// has, and how many bytes of seals there are for each record.
func BenchmarkSealer(b *testing.B) {
	const n = 100_000
	for _, size := range []int{1, 16, 1000} {
		b.Run(fmt.Sprint("block=", size), func(b *testing.B) {
			for b.Loop() {
				on := queuetest.Connect(b, queuetest.Server(b))
				storeBlocks(b, on, n, size)
				s := Sealer{Source: onNATS{on}, Seals: sealsOnNATS{on}, Key: testKey("sealer")}
				ctx, cancel := context.WithCancel(b.Context())
				ended := make(chan error, 1)
				began := time.Now()
				go func() { ended <- s.Run(ctx) }()
				queuetest.Until(b, "sealed", func() bool {
					data, err := stream.On(on.Conn).LastSeal(b.Context(), "acme")
					if err != nil {
						b.Fatal(err)
					}
					o, err := open(data, ring(publicOf(s.Key)))
					return err == nil && o.To == uint64(n/size)
				})
				b.ReportMetric(n/time.Since(began).Seconds(), "records/s")
				cancel()
				<-ended
				sum, seals := 0, 0
				err := stream.On(on.Conn).Seals(b.Context(), "acme", 0, func(_ uint64, data []byte) error {
					sum, seals = sum+len(data), seals+1
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(sum)/float64(seals), "B/seal")
				b.ReportMetric(float64(sum)/n, "B/record")
			}
		})
	}
}

// storeBlocks stores n records, size in a message.
func storeBlocks(b *testing.B, on *queue.Queue, n, size int) {
	b.Helper()
	room := make(chan struct{}, 256)
	about := BlockAbout
	var block [][]byte
	for i := range n {
		r := fullRecord()
		r.Tenant, r.ID, r.CallID = "acme", "", fmt.Sprint("call-", i)
		data, err := Encode(&r)
		if err != nil {
			b.Fatal(err)
		}
		if block = append(block, data); len(block) < size {
			continue
		}
		if size == 1 {
			about = r.Tool
		}
		room <- struct{}{}
		stream.On(on.Conn).Record("acme", about, bytes.Join(block, newline), func(err error) {
			if err != nil {
				b.Error(err)
			}
			<-room
		})
		block = nil
	}
	for range cap(room) {
		room <- struct{}{}
	}
}
