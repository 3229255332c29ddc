// Command natsd is the NATS server of the fault tests as a process of its own,
// so that it can be killed and started again on the same data.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/helve-dev/helve/internal/embedded"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "HOST:PORT to listen on")
	dir := flag.String("dir", "", "directory of JetStream's files")
	flag.Parse()
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	srv, err := embedded.Start(embedded.Options{Addr: *addr, Dir: *dir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready nats=" + srv.URL())
	<-ctx.Done()
	srv.Stop()
}
