"""What people may send, checked and explained."""
