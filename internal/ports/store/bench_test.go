package store

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/tool"
)

var benchBody = `{"message":"Note saved: \"Groceries for the weekend\".","note":{"id":"abcdefghijkl","title":"Groceries for the weekend","content":"milk, bread, apples and something for Sunday"}}`

// BenchmarkCommit measures a call that adds a note, alone and with 64 callers.
func BenchmarkCommit(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			onEach(b, func(b *testing.B, where Options) {
				where.Log = zap.NewNop()
				s := open(b, where)
				var n atomic.Int64
				b.SetParallelism(callers)
				b.ResetTimer()
				add := func() {
					i := n.Add(1)
					u := s.For("acme", fmt.Sprint("u", i%100), fmt.Sprint("call-", i), 1)
					insert(b, u, note{Title: "Groceries for the weekend", Body: "milk, bread, apples and something for Sunday"})
					if _, err := u.Commit(b.Context(), tool.Result{Value: json.RawMessage(benchBody)}); err != nil {
						b.Error(err)
					}
				}
				if callers == 1 {
					for b.Loop() {
						add()
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						add()
					}
				})
			})
		})
	}
}

// BenchmarkList measures a list of 20 of 1,000 notes, and a search.
func BenchmarkList(b *testing.B) {
	for name, q := range map[string]tool.Query{
		"newest": {Limit: 20, Total: true},
		"filter": {
			Where: []tool.Condition{tool.Where("pinned", tool.Equal, false)},
			Order: []tool.Order{{Field: "rank"}},
			Limit: 20,
			Total: true,
		},
		"search": {Text: "bread", Limit: 20},
	} {
		b.Run(name, func(b *testing.B) {
			onEach(b, func(b *testing.B, where Options) {
				where.Log = zap.NewNop()
				s := open(b, where)
				for user := range 20 {
					as(b, s, fmt.Sprint("u", user), fmt.Sprint("fill-", user), func(u *Unit) {
						for i := range 1000 {
							insert(b, u, note{Title: "Groceries", Body: "milk, bread", Rank: float64(i * 7919 % 1000)})
						}
					})
				}
				b.ResetTimer()
				for b.Loop() {
					titles(b, s.For("acme", "u7", "", 1), q)
				}
			})
		})
	}
}

// BenchmarkLarge measures queries of one of 100,000 documents of a person.
func BenchmarkLarge(b *testing.B) {
	onEach(b, func(b *testing.B, where Options) {
		where.Log = zap.NewNop()
		s := open(b, where)
		const n = 100_000
		for i := 0; i < n; i += 1000 {
			as(b, s, "ann", fmt.Sprint("fill-", i), func(u *Unit) {
				for j := i; j < i+1000; j++ {
					c := contact{
						Email: fmt.Sprint("e", j, "@example.com"),
						Name:  fmt.Sprint("name", j%5000),
						Score: float64(j * 7919 % n),
						Done:  j%2 == 0,
						Note:  "milk, bread, apples",
					}
					if _, err := contacts.Insert(b.Context(), u, c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		filter := func(field string, op tool.Op, value any) []tool.Condition {
			return []tool.Condition{tool.Where(field, op, value)}
		}
		for _, tt := range []struct {
			name string
			q    tool.Query
		}{
			{"newest", tool.Query{Limit: 50, Total: true}},
			{"unique", tool.Query{Where: filter("email", tool.Equal, "e777@example.com"), Total: true}},
			{"equal", tool.Query{Where: filter("name", tool.Equal, "name77"), Limit: 50, Total: true}},
			{"half", tool.Query{Where: filter("done", tool.Equal, true), Limit: 50, Total: true}},
			{"order", tool.Query{Order: []tool.Order{{Field: "score"}}, Limit: 50}},
			{"search", tool.Query{Text: "e777", Limit: 50}},
		} {
			b.Run(tt.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := contacts.Query(b.Context(), s.For("acme", "ann", "", 1), tt.q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}
