// Command natsd is the NATS server of the fault tests as a process of its own, so that it
// can be killed and started again on the same data. After SIGTERM a server of a cluster
// leaves it as before an upgrade, in lame duck mode.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "HOST:PORT to listen on")
	dir := flag.String("dir", "", "directory of JetStream's files")
	routes := flag.String("routes", "", "HOST:PORT of each server of a cluster, this one first, parted by commas")
	monitor := flag.String("monitor", "", "HOST:PORT of the server's monitoring; none if empty")
	store := flag.Int64("store", 1<<40,
		"bytes that streams may set aside; the default is enough, whatever room other tests have left on the device")
	flag.Parse()
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	srv, err := embedded.Start(embedded.Options{
		Addr: *addr, Dir: *dir, Monitor: *monitor, Routes: slices.DeleteFunc(strings.Split(*routes, ","), func(r string) bool { return r == "" }),
		MaxStore: *store,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready nats=" + srv.URL())
	<-ctx.Done()
	if *routes != "" {
		srv.Leave()
		return
	}
	srv.Stop()
}
