package personaldata

import (
	"errors"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Problem is an item of a file that is not stored, or not as the file has it.
type Problem = protocol.ImportProblem

// maxReason bounds the texts of a problem, in bytes.
const maxReason = 300

// receiver takes what a file holds.
type receiver struct {
	each    func(*store.Item) error
	problem func(Problem)
}

// item passes an item on. It skips an item that the store, or the tool that stores such items,
// would refuse; the error is of the receiver of items, and ends the reading.
func (to receiver) item(line int, name string, item *store.Item) error {
	err := store.CheckItem(item)
	if err == nil {
		err = checked(item)
	}
	if err != nil {
		to.skip(line, name, err)
		return nil
	}
	return to.each(item)
}

// skip reports an item that is left out.
func (to receiver) skip(line int, name string, err error) {
	text := err.Error()
	if e, ok := errors.AsType[*tool.Error](err); ok {
		text = e.Msg
	}
	to.problem(Problem{Line: line, Item: textcut.Excerpt(name, maxReason), Reason: textcut.Excerpt(text, maxReason)})
}

// note reports something about an item that is stored.
func (to receiver) note(line int, name, text string) {
	to.problem(Problem{Line: line, Item: textcut.Excerpt(name, maxReason), Reason: textcut.Excerpt(text, maxReason), Stored: true})
}

// errUnreadable is the reason for an item on which a reader panicked.
var errUnreadable = errors.New("it cannot be read; if other programs can read it, report it as a bug")

// catch reads one item. A panic of a library concerns that item only.
func (to receiver) catch(read func() error) error {
	err := gopool.Catch(read)
	if _, ok := errors.AsType[*gopool.Panic](err); ok {
		return errUnreadable
	}
	return err
}
