package index

import (
	"testing"

	"go.uber.org/zap"
)

// BenchmarkCopy copies 200,000 records into an empty index.
func BenchmarkCopy(b *testing.B) {
	const n = 200_000
	s := newStream()
	s.store("acme", records(b, n)...)
	onEach(b, func(b *testing.B, where Options) {
		where.Log = zap.NewNop()
		for range b.N {
			x := open(b, where)
			run(b, x, s)
			if err := x.Wait(b.Context(), n); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	})
}
