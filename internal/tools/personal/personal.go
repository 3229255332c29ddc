// Package personal lists the tools for a person's own data: what a person has to do,
// notes, contacts, documents, what an assistant remembers for a person.
//
// All but those that read documents keep their data in the store of a call ([tool.Call].Store), so they share its
// promises: changes are committed once, with the result of the call, and nobody reads
// the data of another person. They hold no data themselves.
package personal

import (
	"github.com/helve-dev/helve/internal/tools/personal/bookmarks"
	"github.com/helve-dev/helve/internal/tools/personal/calendar"
	"github.com/helve-dev/helve/internal/tools/personal/contacts"
	"github.com/helve-dev/helve/internal/tools/personal/customdata"
	"github.com/helve-dev/helve/internal/tools/personal/documents"
	"github.com/helve-dev/helve/internal/tools/personal/finance"
	"github.com/helve-dev/helve/internal/tools/personal/goals"
	"github.com/helve-dev/helve/internal/tools/personal/memory"
	"github.com/helve-dev/helve/internal/tools/personal/notes"
	"github.com/helve-dev/helve/internal/tools/personal/scheduler"
	"github.com/helve-dev/helve/internal/tools/personal/tasks"
	"github.com/helve-dev/helve/internal/tools/personal/vectorsearch"
	"github.com/helve-dev/helve/tool"
)

// Sets returns the sets of all of these tools, by category.
func Sets() []*tool.Set {
	return []*tool.Set{
		bookmarks.Set,
		calendar.Set,
		contacts.Set,
		customdata.Set,
		documents.Set,
		finance.Set,
		goals.Set,
		memory.Set,
		notes.Set,
		scheduler.Set,
		tasks.Set,
		vectorsearch.Set,
	}
}
