package faults

import (
	"bytes"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/protocol"
)

// trail is a dispatcher's report of the audit trail.
type trail = protocol.AuditReport

func (d door) verify() (v trail) {
	status, err := request(http.MethodGet, d.url+"/v1/audit/verify", defaultTenant, nil, &v)
	if err != nil || status != http.StatusOK {
		return trail{}
	}
	return v
}

// seals reports whether this dispatcher has ever been the sealing one.
func (d door) seals() bool { return strings.Contains(d.output(), `"msg":"lease taken"`) }

// sealedAll waits until every record is sealed, and checks that all are intact.
func (w *world) sealedAll(d door) trail {
	w.t.Helper()
	var v trail
	await(w.t, "every record sealed", func() bool {
		v = d.verify()
		return v.Records > 0 && v.SealedTo >= w.observe().stored("helve.v1.default.audit.tool")
	})
	if !v.OK {
		w.t.Errorf("of %d records, sealed up to %d, is said: %+v", v.Records, v.SealedTo, v.Problems)
	}
	return v
}

// exports reads the complete trail, and verifies it with the published keys.
func (w *world) exports(d door) {
	w.t.Helper()
	var file bytes.Buffer
	for cursor, first := "", true; first || cursor != ""; first = false {
		var page struct {
			Lines []string `json:"lines"`
			Next  string   `json:"next"`
		}
		if status, err := request(http.MethodGet, d.url+"/v1/audit/export?cursor="+cursor, defaultTenant, nil, &page); err != nil ||
			status != http.StatusOK {
			w.t.Fatalf("export = %d, %v", status, err)
		}
		for _, line := range page.Lines {
			file.WriteString(line + "\n")
		}
		cursor = page.Next
	}
	res, err := patient.Get(d.url + "/v1/audit/public-key")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var pem bytes.Buffer
	if _, err := pem.ReadFrom(res.Body); err != nil {
		w.t.Fatal(err)
	}
	keys, err := keyfile.ParsePublicPEM(pem.Bytes())
	if err != nil {
		w.t.Fatal(err)
	}
	if report, err := audit.VerifyFile(&file, keys...); err != nil || !report.OK {
		w.t.Errorf("the export: %+v, %v", report, err)
	}
}

// TestSealerLost ends the sealing dispatcher in the middle of a load, in every way. Another
// continues the chain, with the same key or one of its own, and a returning one does no
// harm.
func TestSealerLost(t *testing.T) {
	for _, way := range []string{"killed", "drained", "stopped for a while"} {
		for _, keys := range []string{"the same key", "a key of its own"} {
			t.Run(way+", "+keys, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				env := []string{"HELVE_AUDIT_SEAL_EVERY=100ms", "HELVE_AUDIT_SEAL_RECORDS=7"}
				if keys == "the same key" {
					env = append(env, "HELVE_KEYS_DIR="+t.TempDir())
				}
				w.worker()
				sealer := w.dispatcher(env...)
				await(t, "a sealer", sealer.seals)
				other := w.dispatcher(env...)
				before := w.writers(60, 0, 0)
				other.execute(time.Minute, before...)
				await(t, "some seals", func() bool { return sealer.verify().SealedTo > 50 })
				load := other.send(time.Minute, w.writers(100, 0, 1)...)
				switch way {
				case "killed":
					sealer.kill()
				case "drained":
					sealer.drain()
				default:
					sealer.pause()
				}
				<-load
				await(t, "another sealer", other.seals)
				w.sealedAll(other)
				if way == "stopped for a while" {
					other.execute(time.Minute, w.writers(30, 0, 0)...)
					sealer.signal(syscall.SIGCONT)
				}
				other.execute(time.Minute, w.writers(30, 0, 0)...)
				w.sealedAll(other)
				w.exports(other)
				w.settled(other)
			})
		}
	}
}

// TestNATSKilledWhileSealing kills the server of the sealer and the index.
func TestNATSKilledWhileSealing(t *testing.T) {
	t.Parallel()
	addr, dir := queuetest.Addr(t), t.TempDir()
	server := natsd(t, addr, dir)
	w := worldAt(t, "nats://"+addr)
	w.worker()
	d := w.dispatcher("HELVE_AUDIT_SEAL_EVERY=100ms", "HELVE_AUDIT_SEAL_RECORDS=7")
	first := d.send(time.Minute, w.writers(100, 0, 20)...)
	await(t, "some seals", func() bool { return d.verify().SealedTo > 5 })
	server.kill()
	await(t, "the end of readiness", func() bool { return ready(d.url) == 503 })
	natsd(t, addr, dir)
	await(t, "readiness", func() bool { return ready(d.url) == 200 })
	<-first
	w.settleAll(d, w.calls)
	d.execute(time.Minute, w.writers(20, 0, 0)...)
	w.sealedAll(d)
	w.exports(d)
	w.settled(d)
}
