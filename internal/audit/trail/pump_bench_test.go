package trail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// BenchmarkPump writes the records of results that are stored to the trail; results/s is
// with the server in the same process.
func BenchmarkPump(b *testing.B) {
	srv := queuetest.Server(b)
	bu := queuetest.Connect(b, srv)
	record := []byte(`{"audit_id":"f-x-1","text":"` + strings.Repeat("x", 600) + `"}`)
	element := []byte(`{"status":"success"}`)
	done := make(chan error, 256)
	for i := range b.N {
		if i >= cap(done) {
			<-done
		}
		bu.Results.Finish("acme", "default", "d-1", fmt.Sprint(i), queue.Finished{Element: element, Record: record},
			func(err error) { done <- err })
	}
	for range min(b.N, cap(done)) {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	pumping(b, bu)
	caughtUp(b, bu)
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "results/s")
	last, err := stream.On(bu.Conn).LastBlock(b.Context(), "acme")
	if err != nil || last == nil || last.To != uint64(b.N) {
		b.Fatalf("the last block is %+v, %v", last, err)
	}
}
