// Two StringBuffers of the JDK that are appended to each other, in both directions.
//
// Expected: unsafe with 2 contexts (deadlock)
//
// `append` locks its own buffer, and asks the other one for its length, which locks that, too.

class StringBufferDeadlock {
    public static void main(String[] args) {
        StringBuffer one = new StringBuffer();
        StringBuffer two = new StringBuffer();
        new Thread(() -> two.append(one)).start();
        one.append(two);
    }
}
