package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/personaldata"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/tools/personal/scheduler"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	// exportTime bounds an export, because it keeps old pages of the database.
	exportTime = 15 * time.Minute
	// exportBuffer is the size of the pieces in which an export is sent.
	exportBuffer = 128 << 10
)

// Serve implements [toolbox.Keeper].
func (p ports) Serve(ctx context.Context, r peer.DataRequest, in io.Reader, out io.Writer) (any, error) {
	switch r.Op {
	case peer.DataExport:
		return nil, p.export(ctx, r, out)
	case peer.DataImport:
		return personaldata.Import(ctx, p.store, r.Tenant, r.Person, r.Format, in, r.Replace)
	case peer.DataDelete:
		done, err := p.store.Erase(ctx, r.Tenant, r.Person)
		return protocol.DataDeleted{Items: done.Items, CallResults: done.Results}, err
	case peer.DataSummary:
		return p.summary(ctx, r)
	case peer.DataTasks:
		return p.tasks(ctx, r)
	case peer.DataTask, peer.DataEndTask:
		return p.task(ctx, r)
	case peer.DataTimers:
		return p.timers(ctx, r)
	case peer.DataHello, peer.DataServiceTest, peer.DataPolicy, peer.DataPolicyExplain,
		peer.DataFileList, peer.DataFileGet, peer.DataFilePut, peer.DataFileDelete: // the worker itself answers
	}
	return nil, tool.Fail(tool.Unsupported, "this worker does not know the operation %.20q; all processes need the same version", r.Op)
}

func (p ports) export(ctx context.Context, r peer.DataRequest, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	if err := personaldata.Check(r.Format); err != nil {
		return tool.Fail(tool.ValidationError, "%s", err)
	}
	w := bufio.NewWriterSize(out, exportBuffer)
	err := personaldata.Write(r.Format, w, func(each func(*store.Item) error) error {
		return p.store.Items(ctx, r.Tenant, r.Person, each)
	})
	return errors.Join(err, w.Flush())
}

// collectionsMost bounds the collections of a summary.
const collectionsMost = 1000

// summary returns how much is kept of a person, by collection.
func (p ports) summary(ctx context.Context, r peer.DataRequest) (any, error) {
	amounts, err := p.store.Amounts(ctx, r.Tenant, r.Person, collectionsMost)
	sum := protocol.DataSummary{}
	for _, c := range amounts {
		sum.Items, sum.Bytes = sum.Items+c.Items, sum.Bytes+c.Bytes
		sum.Collections = append(sum.Collections, protocol.DataCollection{Name: c.Collection, Items: c.Items, Bytes: c.Bytes})
	}
	return sum, err
}

// tasks returns a page of scheduled tasks.
func (p ports) tasks(ctx context.Context, r peer.DataRequest) (any, error) {
	of, after := store.Place{Tenant: r.Tenant, Person: r.Person}, store.Place{Tenant: r.Tenant, Person: r.Person}
	if r.After != "" {
		var ok bool
		if after.Person, after.ID, ok = strings.Cut(r.After, "."); !ok {
			return nil, tool.Fail(tool.ValidationError, "cursor is none that schedules.list has returned; leave it out to begin again")
		}
	}
	list := protocol.ScheduleList{Schedules: []protocol.Schedule{}}
	err := p.store.Owned(ctx, scheduler.Collection(), of, after, r.Limit, func(o store.Owned) error {
		s, err := scheduler.Describe(o.Person, o.Row, false)
		list.Schedules = append(list.Schedules, s)
		list.Next = o.Person + "." + o.ID
		return err
	})
	if len(list.Schedules) < r.Limit {
		list.Next = ""
	}
	return list, err
}

// task returns a scheduled task, and deletes it if the request says so.
func (p ports) task(ctx context.Context, r peer.DataRequest) (any, error) {
	found, err := p.find(ctx, store.Place{Tenant: r.Tenant, Person: r.Person}, r.ID)
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 0:
		return nil, tool.Fail(tool.NotFound, "there is no scheduled task %.80q; schedules.list names those there are", r.ID)
	case 1:
	default:
		return nil, tool.Fail(tool.ValidationError, "several persons have a task %.80q; name the user", r.ID)
	}
	s, err := scheduler.Describe(found[0].Person, found[0].Row, true)
	if err != nil || r.Op == peer.DataTask {
		return s, err
	}
	return s, p.change(ctx, r.Tenant, s.User, func(u tool.Store) error { return scheduler.Remove(ctx, u, r.ID) })
}

// changeTries bounds how often a change is tried while calls change the same documents.
const changeTries = 10

// change changes the data of a person outside a call, and commits it.
func (p ports) change(ctx context.Context, tenant, person string, do func(tool.Store) error) error {
	unit := p.store.For(tenant, person, "", 1)
	for n := 1; ; n++ {
		unit.Reset()
		err := do(unit)
		if err == nil {
			_, err = unit.Commit(ctx, tool.Result{Value: json.RawMessage("null")})
		}
		if !errors.Is(err, store.ErrStale) || n == changeTries {
			return err
		}
	}
}

// pageOfTasks is the number of tasks that are read at a time.
const pageOfTasks = 500

// find returns the tasks of an id.
func (p ports) find(ctx context.Context, of store.Place, id string) (found []store.Owned, err error) {
	after := of
	for n := pageOfTasks; n == pageOfTasks; {
		n = 0
		err := p.store.Owned(ctx, scheduler.Collection(), of, after, pageOfTasks, func(o store.Owned) error {
			n++
			after = store.Place{Tenant: o.Tenant, Person: o.Person, ID: o.ID}
			if o.ID == id {
				found = append(found, o)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// timers returns a page of the timers that tasks need, of every tenant.
func (p ports) timers(ctx context.Context, r peer.DataRequest) (any, error) {
	var after store.Place
	if r.After != "" {
		if err := json.Unmarshal([]byte(r.After), &after); err != nil {
			return nil, err
		}
	}
	page, n, now := peer.TaskTimers{}, 0, time.Now()
	err := p.store.Owned(ctx, scheduler.Collection(), store.Place{}, after, r.Limit, func(o store.Owned) error {
		n++
		after = store.Place{Tenant: o.Tenant, Person: o.Person, ID: o.ID}
		at, err := scheduler.Timer(o.Row, now)
		if err == nil && !at.IsZero() {
			page.Timers = append(page.Timers, peer.TaskTimer{Tenant: o.Tenant, Person: o.Person, ID: o.ID, At: at})
		}
		return err
	})
	if err != nil || n < r.Limit {
		return page, err
	}
	next, err := json.Marshal(after)
	page.Next = string(next)
	return page, err
}
