package keep

import (
	"fmt"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/identity/vault"
)

// BenchmarkKeep packs a thousand calls of one person.
func BenchmarkKeep(b *testing.B) {
	r := &results{t: b}
	var finals []*stream.Final
	for i := range 1000 {
		finals = append(finals, r.of("ann", "tool", fmt.Sprint("c", i), false, "what it returned"))
	}
	text, err := vault.Generate()
	if err != nil {
		b.Fatal(err)
	}
	keys, err := vault.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	k := &Keeper{Rules: rules{}, Keys: keys, Hide: asSent, Log: zap.NewNop()}
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range finals {
			k.Take(f, 0)
		}
		for calls, _, _, _ := k.taken(); len(calls) > 0; calls, _, _, _ = k.taken() {
			for _, p := range k.blocks(calls) {
				if err := pack(b.Context(), keys, &kept.Block{Tenant: p.tenant, User: p.user}, p.calls); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
}
