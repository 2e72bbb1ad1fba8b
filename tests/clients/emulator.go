// Runs Google's emulator on a free port of this machine until the input ends, and prints its address. It needs no newer version than
// 0.56 of Google's client for Go.
package main

import (
	"fmt"
	"io"
	"io/ioutil"
	"os"

	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/grpc"
)

// messageMax is the limit of the command that Google publishes, cbtemulator.
const messageMax = 256 << 20

func main() {
	limits := []grpc.ServerOption{grpc.MaxRecvMsgSize(messageMax), grpc.MaxSendMsgSize(messageMax)}
	server, err := bttest.NewServer("127.0.0.1:0", limits...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(server.Addr)
	io.Copy(ioutil.Discard, os.Stdin)
	server.Close()
}
