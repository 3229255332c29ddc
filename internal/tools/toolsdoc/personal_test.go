package toolsdoc

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// kept are calls that were made before each example.
var kept = []struct{ tool, arguments string }{
	{
		"add_contact",
		`{"name":"Anna Schmidt","email":"anna@example.com","phone":"+49 30 123456","relationship":"friend","birthday":"1990-05-17"}`,
	},
	{"add_calendar_event", `{"title":"Team meeting","startTime":"2026-11-24T09:30","endTime":"2026-11-24T10:30","timezone":"Europe/Berlin","recurrence":"FREQ=WEEKLY;COUNT=10"}`},
	{"add_task", `{"title":"Buy milk","dueDate":"2026-11-24","priority":"high","category":"shopping"}`},
	{"add_bookmark", `{"url":"https://go.dev/doc/","title":"Go documentation","category":"reading","tags":["go","examples"]}`},
	{"add_expense", `{"date":"2026-11-23","amount":42.5,"currency":"EUR","category":"food","description":"Groceries","paymentMethod":"card","tags":["weekly"]}`},
	{"create_vector_collection", `{"name":"articles","dimensions":4}`},
	{"upsert_vectors", `{"collection":"articles","vectors":[{"id":"a","values":[0.8,0.2,0.1,0],"metadata":{"lang":"en"}}]}`},
	{"add_note", `{"title":"Pancakes","content":"- 250 g flour\n- 500 ml milk\n- 2 eggs","category":"recipes","tags":["breakfast"]}`},
	{"remember", `{"content":"Prefers window seats on trains","type":"preference","importance":0.6,"tags":["travel"]}`},
	{"create_goal", `{"title":"Run a marathon","priority":8,"dueDate":"2026-10-04"}`},
	{"decompose_goal", `{"goalId":"k3f9q2x7m5ab","steps":[{"title":"Run 10 km"},{"title":"Run 20 km","dependsOn":[0]}]}`},
	{"create_custom_table", `{"table":"reading_list","description":"Books to read","columns":[{"name":"title","displayName":"Title","type":"text","required":true},{"name":"pages","displayName":"Pages","type":"number"},{"name":"finished","displayName":"Finished","type":"boolean","defaultValue":false}]}`},
	{"add_custom_record", `{"table":"reading_list","data":{"title":"Dune","pages":412}}`},
	{
		"create_scheduled_task",
		`{"name":"Open tasks","schedule":"0 9 * * mon-fri","timezone":"Europe/Berlin","toolName":"list_tasks","toolArgs":{"status":"pending"}}`,
	},
}

// keptID is the id of what those calls stored, one item in each collection.
const keptID = "k3f9q2x7m5ab"

// newIDs are the ids of what an example stores, in the order in which it does.
var newIDs = []string{"p8w4c6z2n7rt", "d5h2v9b3s6jq"}

// store returns the store with the person's data from before the example. Nothing is committed after it.
func (s *stage) store(ctx context.Context) tool.Store {
	s.Helper()
	at, example, used := fixed, false, 0
	db, err := store.Open(ctx, store.Options{
		Dir: s.data, Now: func() time.Time { return at },
		NewID: func() string {
			if !example {
				return keptID
			}
			used++
			return newIDs[used-1]
		},
	})
	must(s, db, err)
	s.Cleanup(func() {
		if err := db.Close(); err != nil {
			s.Error(err)
		}
	})
	for _, c := range kept {
		unit := db.For(s.tenant, person, "", 1)
		res, err := tooltest.Play(ctx, s.tools[c.tool], tool.Call{
			Tenant:    s.tenant,
			User:      person,
			Store:     unit,
			Cache:     cache.New(1<<20).For(s.tenant, person),
			HTTP:      s.http,
			Secrets:   s.secrets(c.tool),
			Schedules: s.schedules(),
			Clock:     tooltest.Clock{T: at},
		}, c.arguments)
		if err == nil {
			_, err = unit.Commit(ctx, res)
		}
		must(s, unit, err)
	}
	s.sessions(ctx, db)
	at, example = fixed.Add(time.Hour), true
	return db.For(s.tenant, person, "", 1)
}

// schedules returns the port of scheduled tasks, which runs none.
func (s *stage) schedules() tool.Schedules {
	s.Helper()
	return &tooltest.Schedules{Sets: tools.Builtin()}
}
