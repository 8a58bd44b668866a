package gemm
import ("testing";"syscall";"runtime";"math/rand/v2";"fmt";"time")
func cpuNow() float64 { var r syscall.Rusage; syscall.Getrusage(1,&r); return float64(r.Utime.Sec)+float64(r.Utime.Usec)*1e-6+float64(r.Stime.Sec)+float64(r.Stime.Usec)*1e-6 }
func TestZZ(t *testing.T){
 runtime.LockOSThread()
 rng := rand.New(rand.NewPCG(1, 1))
 one := func(name string, fl float64, f func()) {
  f(); best:=1e9
  for r:=0;r<5;r++ { n:=0; t0:=cpuNow(); w:=time.Now(); for time.Since(w)<60*time.Millisecond||n==0 {f();n++}; d:=(cpuNow()-t0)/float64(n); if d<best{best=d} }
  fmt.Printf("%-28s %8.1f us %7.1f GFLOP/s\n", name, best*1e6, fl/best/1e9)
 }
 for _, d := range [][3]int{{64,64,64},{128,128,128},{256,256,256},{512,512,512},{1024,1024,1024},{1,1024,1024},{2,1024,1024},{4,1024,1024},{6,1024,1024},{8,1024,1024},{12,1024,1024},{16,1024,1024},{24,1024,1024},{48,1024,1024},{1024,16,1024},{1024,32,1024},{1024,48,1024},{1024,64,64},{12544,64,147},{196,256,2304},{128,768,768},{1000,1000,1000}} {
  m,n,k:=d[0],d[1],d[2]
  for flags:=0;flags<3;flags++ {
   q := newProblem(rng, false, flags==1, m, n, k, 0, 1, 0)
   var pb *PackedB
   if flags==2 {pb=PackB(false,k,n,q.b,q.ldb)}
   one(fmt.Sprintf("%dx%dx%d %s",m,n,k,[]string{"","transB","packed"}[flags]), 2*float64(m)*float64(n)*float64(k), func(){
    if pb!=nil {_ = Float32PackedB(bg, nil, false, m, n, k, 1, q.a, q.lda, pb, 0, q.c, q.ldc)} else { _ = Float32(bg, nil, false, flags==1, m, n, k, 1, q.a, q.lda, q.b, q.ldb, 0, q.c, q.ldc)}
   })
  }
 }
}
