package store

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/helve-dev/helve/tool"
)

// takenError means that another document has the value of a unique field.
type takenError struct {
	slot  int // the number of the column, from 1
	cause error
}

func (e *takenError) Error() string { return "a unique value is taken: " + e.cause.Error() }

var (
	// takenIndex is the name of a unique index, in errors of PostgreSQL.
	takenIndex = regexp.MustCompile(`^store_row_unique(\d)$`)
	// takenColumn is the column of a unique index, in errors of SQLite.
	takenColumn = regexp.MustCompile(`store_row\.k(\d)`)
)

// takenSlot returns the column whose value is taken, if err reports that; else 0.
func takenSlot(err error) int {
	pattern, text := takenColumn, err.Error()
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		pattern, text = takenIndex, failed.ConstraintName
	}
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return 0
	}
	slot, _ := strconv.Atoi(match[1]) // it is a digit
	return slot
}

// explain returns the error for the call. A commit with several new values of the field
// cannot tell which of them is taken.
func (e *takenError) explain(c *commit) error {
	var field, value string
	n := 0
	for _, ch := range c.changes {
		if ch.keys.uniques&(1<<(e.slot-1)) != 0 {
			field, value = ch.keys.field(e.slot), string(memberOf(ch.doc, ch.keys.field(e.slot)))
			n++
		}
	}
	if n == 1 && len(value) <= 200 {
		return tool.Fail(tool.ValidationError,
			"%s must be unique, and another item has %s already; nothing was changed; use another value or change that item",
			field, value).Because(e)
	}
	return tool.Fail(tool.ValidationError,
		"%s must be unique, and another item has one of these values already; nothing was changed; use other values or change that item",
		field).Because(e)
}
