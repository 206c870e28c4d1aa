explore prints the same with any number of threads.

  $ for threads in 1 3
  > do
  > 	paleo simulate --search alex_v2_4gpu --device t4,h100-sxm,k80 --price t4=0.5 --price h100-sxm=4 --price k80=0.2 --strategy data,model,hybrid,tensor,pipeline,zero1,zero2,zero3 --all-reduce ring,halving-doubling,tree --link ethernet-10g,infiniband-ndr --optimizer adam --overlap --threads $threads >$threads 2>$threads.speed
  > 	sed 's/.* on \([0-9]\) thread.*/on \1/' $threads.speed
  > done
  on 1
  on 3
  $ [ -s 1 ] && cmp 1 3 && echo same
  same
