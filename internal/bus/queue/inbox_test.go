package queue_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// earlierResults returns the results stream of the version before republishing.
func earlierResults(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: queue.StreamResults, Subjects: []string{"helve.v1.*.result.*.*", "helve.v1.*.result.*.*.*"},
		Storage: jetstream.FileStorage, Replicas: replicas, MaxMsgsPerSubject: 1,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, AllowDirect: replicas == 1, DenyDelete: true, DenyPurge: true,
	}
}

// raw returns a client of the server without Helve's code.
func raw(t *testing.T, where string) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	nc := must(nats.Connect(where))(t)
	t.Cleanup(nc.Close)
	return nc, must(jetstream.New(nc))(t)
}

// TestRefusedResultIsNoAnswer: a result that the stream refuses, because another attempt
// was first or because there is no room, is not delivered to waiting callers.
func TestRefusedResultIsNoAnswer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx, in := queuetest.Context(t), openInbox(t, d)
	first, late := make(chan []byte, 2), make(chan []byte, 2)
	in.Expect("acme", "c", "echo", "default", nil, first, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("first"), nil); err != nil {
		t.Fatal(err)
	}
	if got := queuetest.Receive(t, first, "answer"); string(got) != "first" {
		t.Errorf("the answer is %q, want first", got)
	}
	in.Expect("acme", "c", "echo", "default", nil, late, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("second"), nil); !errors.Is(err, natsio.ErrExists) {
		t.Fatalf("the second result is answered %v, want ErrExists", err)
	}
	bound(t, srv.URL(), queue.StreamResults, 0)
	in.Expect("acme", "c2", "echo", "default", nil, late, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c2", []byte("no room"), nil); !errors.Is(err, natsio.ErrFull) {
		t.Fatalf("a result without room is answered %v, want ErrFull", err)
	}
	bound(t, srv.URL(), queue.StreamResults, -1)
	in.Expect("acme", "c3", "echo", "default", nil, late, nil)
	if err := w.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c3", []byte("third"), nil); err != nil {
		t.Fatal(err)
	}
	if got := queuetest.Receive(t, late, "answer"); string(got) != "third" { // in the order of the stream
		t.Errorf("a refused result was handed over: %q", got)
	}
}

// TestResultsStreamOfAnEarlierVersion: Prepare enables republishing on the existing stream,
// keeps its messages, and dispatchers of the earlier version still receive results.
func TestResultsStreamOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	for _, replicas := range []int{1, 3} {
		t.Run(fmt.Sprintf("R%d", replicas), func(t *testing.T) {
			t.Parallel()
			where := cluster(t, replicas)
			ctx := queuetest.Context(t)
			nc, js := raw(t, where)
			queuetest.Until(t, "the stream of an earlier version", func() bool {
				ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // a cluster that begins may not answer
				defer cancel()
				_, err := js.CreateStream(ctx, earlierResults(replicas))
				return err == nil || errors.Is(err, jetstream.ErrStreamNameAlreadyInUse)
			})
			queuetest.Until(t, "a result is in it", func() bool { // a stream of three has no leader at first
				_, err := js.Publish(ctx, "helve.v1.acme.result.default.d-0.old", []byte("kept"))
				return err == nil
			})
			d := open(t, queue.Options{Options: natsio.Options{URL: where, Replicas: replicas}})
			if err := d.Prepare(ctx); err != nil {
				t.Fatal(err)
			}
			if got, err := d.Results.Result(ctx, "acme", "old"); err != nil || got == nil || string(got.Element) != "kept" {
				t.Errorf("the result of before = %+v, %v, want it kept", got, err)
			}
			if is := configOf(t, d, queue.StreamResults); !is.DenyPurge || is.MaxAge != time.Hour {
				t.Errorf("deny purge %v, max age %v; want results that cannot be purged to expire by age, after 1h", is.DenyPurge, is.MaxAge)
			}
			if err := stream.On(d.Conn).PurgeResults(ctx, 0, 1<<40); err != nil {
				t.Errorf("PurgeResults of a stream that cannot be purged = %v, want nil", err)
			}
			in, got := openInbox(t, d), make(chan []byte, 1)
			earlier := must(nc.SubscribeSync("helve.v1.*.result.*." + d.Conn.ID() + ".*"))(t)
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			in.Expect("acme", "c", "echo", "default", nil, got, nil)
			if err := d.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("done"), nil); err != nil {
				t.Fatal(err)
			}
			if element := queuetest.Receive(t, got, "answer"); string(element) != "done" {
				t.Errorf("the answer is %q, want done", element)
			}
			if msg, err := earlier.NextMsg(queuetest.Patience); err != nil || string(msg.Data) != "done" {
				t.Errorf("a dispatcher of the earlier version receives %v, %v, want the result", msg, err)
			}
		})
	}
}

// TestRepublishIsKept: a dispatcher of an earlier version that is started beside this one
// removes the setting, and this one sets it again.
func TestRepublishIsKept(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d := queuetest.Connect(t, srv, func(o *queue.Options) { o.Accepts = true })
	undone := configOf(t, d, queue.StreamResults)
	undone.RePublish, undone.MaxAge = nil, time.Hour
	if _, err := d.Conn.JetStream().UpdateStream(queuetest.Context(t), undone); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the stream republishes again", func() bool {
		is := configOf(t, d, queue.StreamResults)
		return is.RePublish != nil && is.MaxAge == 25*time.Hour
	})
}

// TestForgedAnswer: a client that may not publish answers can make the server send it a
// reply or a consumer's message there. Neither is accepted as a result.
func TestForgedAnswer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d := queuetest.Connect(t, srv)
	nc, js := raw(t, srv.URL())
	ctx, in, got := queuetest.Context(t), openInbox(t, d), make(chan []byte, 1)
	in.Expect("acme", "c", "echo", "default", nil, got, nil)
	answer := d.Subjects().Answer("acme", "default", d.Conn.ID(), "c")
	forged := nats.NewMsg("helve.v1.acme.result.gpu." + d.Conn.ID() + ".mine")
	forged.Data = []byte("forged")
	forged.Header.Set("Nats-Stream", queue.StreamResults)
	forged.Header.Set("Nats-Subject", "helve.v1.acme.result.default."+d.Conn.ID()+".c")
	if _, err := js.PublishMsg(ctx, forged); err != nil {
		t.Fatal(err)
	}
	ask := &nats.Msg{Subject: "$JS.API.DIRECT.GET.HELVE_RESULTS", Reply: answer, Data: []byte(`{"last_by_subj":"` + forged.Subject + `"}`)}
	raw := &nats.Msg{Subject: "$JS.API.STREAM.MSG.GET.HELVE_RESULTS", Reply: answer, Data: ask.Data}
	push := []byte(`{"stream_name":"HELVE_RESULTS","config":{"name":"x","deliver_subject":"` + answer + `","ack_policy":"none"}}`)
	watch := must(nc.SubscribeSync(answer))(t)
	if err := errors.Join(nc.PublishMsg(ask), nc.PublishMsg(raw)); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Request("$JS.API.CONSUMER.CREATE.HELVE_RESULTS.x", push, queuetest.Patience); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := watch.NextMsg(queuetest.Patience); err != nil {
			t.Fatal("the server did not publish in the client's place")
		}
	}
	if err := d.Results.FinishWait(ctx, "acme", "default", d.Conn.ID(), "c", []byte("true"), nil); err != nil {
		t.Fatal(err)
	}
	if element := queuetest.Receive(t, got, "answer"); string(element) != "true" {
		t.Errorf("the answer is %q, want the stored result", element)
	}
}

// cluster starts servers with n replicas of each message, and returns their addresses.
func cluster(t *testing.T, n int) string {
	t.Helper()
	if n == 1 {
		return queuetest.Server(t).URL()
	}
	var routes []*url.URL
	for range n {
		l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var all []*server.Server
	for i, own := range routes {
		opts := &server.Options{
			ServerName: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: t.TempDir(), Routes: routes,
			JetStreamMaxStore: 1 << 40, // servers learn late what others have set aside
			Cluster:           server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: must(strconv.Atoi(own.Port()))(t)},
		}
		srv := must(server.NewServer(opts))(t)
		srv.Start()
		t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
		all = append(all, srv)
	}
	for _, srv := range all {
		if !srv.ReadyForConnections(queuetest.Patience) {
			t.Fatal("the server is not ready")
		}
	}
	queuetest.Until(t, "a leader of the cluster", func() bool {
		for _, srv := range all {
			if srv.JetStreamIsLeader() {
				return len(srv.JetStreamClusterPeers()) == n
			}
		}
		return false
	})
	return all[0].ClientURL()
}
