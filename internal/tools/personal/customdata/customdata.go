// Package customdata holds the tools for tables that a person defines, and their records.
//
// A table is a document that lists its columns; its records are documents of a collection
// of the table. They hold each value under the number of its column, so that a column can
// be renamed without changing a record.
//
// # What it promises
//
// The name of a table is unique for its person, and a value in a unique column is unique
// in its table, also between concurrent calls. A record fits the columns of its table; a
// call that adds a record while another call changes the table runs again on the changed
// table. Values are returned exactly as they were given.
//
// # What it does not promise
//
// Conditions on a column read each record of a table that has more than [maxIndexed]
// columns, unless the column is one of the first. Of two call results that show a table,
// neither is a snapshot of its records.
package customdata

import (
	"time"

	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Custom Data", "customData")

const (
	timeout = 30 * time.Second
	// rewriteTimeout is for tools that may change every record of a table.
	rewriteTimeout = 5 * time.Minute
)

// Bounds for one person, and for one table.
const (
	maxTables  = 100
	maxColumns = 100
	maxUnique  = tool.MaxUnique
	maxIndexed = tool.MaxIndexed
)

// stored is a table in the store.
type stored struct {
	Name string `json:"name"`
	// Key is Name in lower case.
	Key         string   `json:"key"`
	DisplayName string   `json:"displayName"`
	Description string   `json:"description,omitempty"`
	Columns     []column `json:"columns"`
	// Made is the number of columns that the table ever had. A number is not used again.
	Made int `json:"made"`
	// Indexed are the columns that have an index. A column that was dropped keeps its place
	// until another one takes it, because a change of the list rewrites all keys.
	Indexed []slot `json:"indexed"`
}

var tables = tool.NewCollection[stored]("custom_tables")

// table is a stored table.
type table = tool.Record[stored]

// shownTable is a table as a model sees it.
type shownTable struct {
	ID          string        `json:"id"`
	Name        string        `json:"name" doc:"For the table of other tools."`
	DisplayName string        `json:"displayName"`
	Description string        `json:"description,omitempty"`
	Columns     []shownColumn `json:"columns"`
	IsProtected bool          `json:"isProtected" doc:"Always false: a person's own tables can be changed and deleted."`
	CreatedAt   string        `json:"createdAt"`
	UpdatedAt   string        `json:"updatedAt"`
}

// oneTable is the result of a tool that deals with one table.
type oneTable struct {
	Message string     `json:"message"`
	Table   shownTable `json:"table"`
}

func showTable(t table) shownTable {
	s := shownTable{
		ID: t.ID, Name: t.Value.Name, DisplayName: t.Value.DisplayName, Description: t.Value.Description,
		Columns:   make([]shownColumn, len(t.Value.Columns)),
		CreatedAt: t.CreatedAt.Format(time.RFC3339), UpdatedAt: t.UpdatedAt.Format(time.RFC3339),
	}
	for i, c := range t.Value.Columns {
		s.Columns[i] = c.show()
	}
	return s
}
